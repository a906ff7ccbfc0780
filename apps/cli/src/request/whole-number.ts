import { InvalidArgumentError } from 'commander'

/** Reads a flag's number; an error names the range. */
export function wholeNumber(min: number, max: number): (written: string) => number {
  return (written) => {
    const value = /^-?\d{1,15}$/.test(written) ? Number(written) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`)
  }
}
