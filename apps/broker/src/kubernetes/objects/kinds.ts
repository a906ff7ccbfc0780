import { BROKER_GROUP } from '@bourse/contract/kinds'

/** The name of this interface in commands, and as the owner of what they claim. */
export const DOOR = 'kubernetes'

/** Besides their names: what marks an object as the broker's own, to show and to remove. */
export const MIRROR_LABEL = `${BROKER_GROUP}/mirror-of`
/** The value of the label: the interface by which the original came. */
export const MIRROR_OF = 'rest'

/** Why an object has to wait; its `reason` in a status. */
export const RATE_LIMITED = 'RateLimited'
