/** Scripts can tell a refusal from a fault. */
export const ExitCode = {
  ok: 0,
  fault: 1,
  usage: 2,
  refused: 3,
  notFound: 4,
  forbidden: 5,
  unreachable: 6,
} as const
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode]

/** Why a verb failed: what happened, and what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode
  readonly next: string | undefined
  constructor(exitCode: ExitCode, message: string, next?: string) {
    super(message)
    this.exitCode = exitCode
    this.next = next
  }
}

export const EXIT_CODES_HELP = `Exit codes:
  0  done                          4  not found
  1  something failed              5  not allowed, or the certificate was not accepted
  2  wrong usage                   6  the broker cannot be reached, or is too busy
  3  refused: nothing fits, or no longer possible`
