/** What each command may lead to. A cell that stays empty is a story that was never told. */
const CELLS: Readonly<Record<string, string>> = {
  advertise: 'advertised claimedElsewhere',
  reserve: 'reserved known requestIdReused tombstoned refused',
  activate: 'changed unchanged wrongPhase missing',
  renew: 'changed wrongPhase missing',
  release: 'changed unchanged missing',
  releaseRequest: 'changed unchanged tombstoned',
  cordon: 'clusterChanged missing',
  uncordon: 'clusterChanged missing',
  withdraw: 'clusterChanged missing',
  decommission: 'decommissioned stillHolding stillSpokenFor stillHeard missing',
  openPeering: 'peering noReservation peeringIdTaken tooManyPeerings',
  postPeering: 'peering notYourStep missing',
  reportPeeringTrouble: 'peering missing',
  closePeering: 'peering missing',
  hear: 'done',
  noteHeard: 'done',
  tick: 'done',
  released: 'Released Expired Withdrawn RequesterGone Preempted',
  peeringClosed: 'Closed Replaced Expired',
  drained: '-',
  staled: '-',
  returned: '-',
}

export function addCounts(total: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [cell, count] of counts) total.set(cell, (total.get(cell) ?? 0) + count)
}

export function emptyCells(counts: ReadonlyMap<string, number>): string[] {
  return Object.entries(CELLS).flatMap(([command, outcomes]) =>
    outcomes
      .split(' ')
      .map((outcome) => `${command} ${outcome}`)
      .filter((cell) => !counts.has(cell)),
  )
}

/** A line for each command, with how often it led to what. */
export function table(counts: ReadonlyMap<string, number>): string {
  const rows = Object.entries(CELLS).map(([command, outcomes]) => {
    const cells = outcomes
      .split(' ')
      .map((outcome) => `${outcome} ${counts.get(`${command} ${outcome}`) ?? 'NEVER'}`)
    return `  ${command.padEnd(21)}${cells.join('  ')}`
  })
  return rows.join('\n')
}
