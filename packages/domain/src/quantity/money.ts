/** An amount of money in billionths (10⁻⁹) of the currency's unit. */
export type Money = bigint
