/**
 * The result of the work, or undefined after the signal. A broker that stops fails the calls under
 * way; after the signal such failures are expected and not reported.
 */
export async function untilStopped<T>(
  signal: AbortSignal,
  work: Promise<T>,
): Promise<T | undefined> {
  try {
    const done = await Promise.race([work, stopOf(signal)])
    return signal.aborted ? undefined : done
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

function stopOf(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
