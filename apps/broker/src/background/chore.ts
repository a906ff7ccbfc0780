export type Chore = ReturnType<typeof createChore>

type Settings = Readonly<{ name: string; everyMs: number; work(): Promise<void> }>

/** Something done again and again in the background, which may fail and is then tried again. */
export function createChore({ name, everyMs, work }: Settings) {
  let running: Promise<void> | undefined
  let trouble: string | undefined
  const timer = setInterval(run, everyMs).unref()
  /** `trouble`: why it did not work the last time; undefined once it has. */
  return { run, trouble: () => trouble, stop }

  /** Runs it now, or waits for the run that is under way. */
  function run(): Promise<void> {
    running ??= attempt().finally(() => {
      running = undefined
    })
    return running
  }

  /** A failure is kept for readiness and metrics; the next round tries again. */
  async function attempt(): Promise<void> {
    trouble = await work().then(
      () => undefined,
      (error: unknown) => `${name} failed: ${error instanceof Error ? error.message : error}`,
    )
  }

  async function stop(): Promise<void> {
    clearInterval(timer)
    await running
  }
}
