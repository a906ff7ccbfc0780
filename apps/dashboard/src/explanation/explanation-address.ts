const ADDRESS = /^#why\/([\w.-]{1,128})$/

/** An explanation has an address of its own, so that it can be sent to somebody. */
export const explanationHref = (id: string) => `#why/${id}`

export const explainedId = (hash: string) => ADDRESS.exec(hash)?.[1]
