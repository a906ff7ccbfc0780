import { defineConfig } from 'vitest/config'

// Isolation costs ten times the run time and our modules keep no state of their own.
export default defineConfig({
  test: { pool: 'threads', isolate: false, testTimeout: 20_000, hookTimeout: 30_000 },
})
