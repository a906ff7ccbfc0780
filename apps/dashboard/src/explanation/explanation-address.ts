const ADDRESS = /^#why\/([\w.-]{1,128})$/

/** An explanation has its own address, so that it can be shared. */
export const explanationHref = (id: string) => `#why/${id}`

export const explainedId = (hash: string) => ADDRESS.exec(hash)?.[1]
