/**
 * Where memory is tidied up, cut into pieces or judged anew. Hardly a result depends on these
 * numbers, so that they are not settings; a simulation lowers them to come to every case soon.
 */
export const sizeLimits = {
  /** After more changes of holdings than these, judging all clusters again is as quick. */
  shiftsKept: 32,
  /** Slots of a new board. */
  firstSlots: 64,
  /** More resources than requests name. A column takes 16 bytes for each cluster. */
  columnsMax: 64,
  /** A burst has few different `wanted`. A sheet takes 30 to 60 bytes for each cluster. */
  sheetsMax: 8,
  /** Several times as many as are asked for, so that some may fall behind. */
  frontRunnersKept: 32,
  /** Up to so many, insertion into a short list is quicker than a full sort. */
  insertedMax: 32,
  /** Shorter lists of numbers are not worth tidying up. */
  tidyMin: 32,
  /** Few: a reservation that stays for years keeps only one row in memory. */
  rowLength: 64,
  /** A map of so many request ids is made in well under a millisecond. */
  listedMax: 4_096,
  /** Fewer obsolete deadlines are not worth removing. */
  mootMin: 10_000,
  /** A million expiries in one second make several commits, not one giant one. */
  dueMax: 2_000,
  /** Items in a part of a snapshot. */
  partSizeMax: 1_000,
  /** A burst of requests has about as many different `wanted`. */
  agreementsKept: 8,
  /** More providers than one requester borrows from at a time. */
  peeringsMax: 1_000,
}
