/** The door that these commands come through: request ids and cluster ids are owned by door. */
export const DOOR = 'rest'
