/**
 * What comes of the work, unless somebody has had enough first. A broker that is stopped half-way
 * fails whoever is talking to it: after the signal that is no news to anybody.
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
