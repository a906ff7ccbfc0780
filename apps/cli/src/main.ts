import { enableCompileCache } from 'node:module'

// Before anything else is loaded: a second start then compiles nothing.
enableCompileCache()
const { run } = await import('./run.ts')
process.exitCode = await run(process.argv.slice(2))
