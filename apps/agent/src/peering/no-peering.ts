import type { Peering, Step } from './port/peering.ts'

/** Instructions are delivered at once; the user of the capacity activates it at the broker. */
export function createNoPeering(): Peering {
  const done = { steps: [], isDone: true }
  return {
    mode: 'none',
    leavesTraces: false,
    start: async () => {},
    stop: async () => {},
    borrow: async ({ offload }) => ({
      ...done,
      isUsable: false,
      ...(offload && { steps: [NOT_OFFLOADED] }),
    }),
    giveBack: async () => done,
    lend: async () => done,
    takeBack: async () => done,
    subscribe: () => () => {},
    liqoIdOf: () => undefined,
    facts: () => undefined,
    conditions: () => [],
    watchFacts: () => () => {},
  }
}

const NOT_OFFLOADED: Step = {
  type: 'NamespaceOffloaded',
  status: 'False',
  reason: 'NoPeering',
  message: 'This agent does not peer (--peering=none), so no namespace is offloaded',
}
