/*
 * `bourse`: the command line, and with it the broker and the agent as two of its verbs.
 *
 *   main.ts → run.ts      one call, from arguments to exit code
 *   verbs.ts              every verb, with a lazy import: only the one that was asked for is loaded
 *   verbs/                a file a verb, in the groups of the help text: flags, call, view
 *   request/, connection/ what verbs share: the flags of a request, the way to a broker
 *   views/, terminal/     answers as tables, JSON or YAML; colours, errors, exit codes
 *   completion/           shell completion, read from the same commander tree
 *   ca/                   the certificate authority behind `bourse ca`
 *   demo/                 `bourse demo`: a broker process and eight simulated clusters
 */
import { enableCompileCache } from 'node:module'

// Before anything else is loaded: a second start then compiles nothing.
enableCompileCache()
const { run } = await import('./run.ts')
process.exitCode = await run(process.argv.slice(2))
