import { z } from 'zod'

/** Who acted, in short. */
export const Actor = z.string().meta({
  description:
    '`kind:id@door`, as in `operator:ana@rest` or `object:team-a/job@kubernetes`; ' +
    '`system:expiry` is the broker itself.',
  example: 'operator:ana@rest',
})
