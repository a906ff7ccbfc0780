/**
 * An amount of each resource by canonical name, in whole units: cpu in thousandths of a core,
 * bytes for memory and ephemeral-storage, pieces for everything else. Absent means none.
 */
export type Resources = Readonly<Record<string, bigint>>
