/** An attack in full (`make soak-hostile`), or the sample of it that `make test` runs. */
export function attackSize<T>(sizes: Readonly<{ sample: T; full: T }>): T {
  return process.env.HOSTILE === 'full' ? sizes.full : sizes.sample
}
