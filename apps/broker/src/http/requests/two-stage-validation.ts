import { isLarge } from './large-bodies.ts'

type Validate = { (data: unknown): unknown; errors?: unknown }
/** The parts of ajv that are used here; fastify makes it. */
type Validator = {
  opts: object
  compile(schema: object): Validate
}

/**
 * A body is first checked up to its first mistake, and only if it has one for all of them: to list
 * the mistakes of a megabyte takes hundreds of milliseconds, so of a large body the first will do.
 */
export function inTwoStages(ajv: Validator): void {
  const compileAll = ajv.compile.bind(ajv)
  const Ajv = ajv.constructor as new (options: object) => Validator
  const firstOnly = new Ajv({ ...ajv.opts, allErrors: false })
  ajv.compile = (schema) => {
    const first = firstOnly.compile(schema)
    let all: Validate | undefined
    const validate: Validate = (data) => {
      if (first(data)) return true
      validate.errors = first.errors
      if (isLarge(data)) return false
      // Compiled when first needed: a start need not wait for it.
      all ??= compileAll(schema)
      all(data)
      validate.errors = all.errors
      return false
    }
    return validate
  }
}
