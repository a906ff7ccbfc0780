type Failure = Readonly<{ how: string; complaint: string; logFile: string }>

const HELD = /^Another broker runs on this directory: .*/

/** Whether somebody else runs on this directory, to whom its files belong. */
export function isHeld(complaint: string): boolean {
  return HELD.test(bare(complaint))
}

/** What to tell a person whose demo does not begin: its broker speaks of its own flags. */
export function startFailure({ how, complaint, logFile }: Failure): Error {
  const said = bare(complaint)
  const [held] = HELD.exec(said) ?? []
  if (held)
    return new Error(
      `The broker does not start (${how}): ${held}\n` +
        'Stop it first, or choose another directory: make run ARGS="--data-dir DIR"',
    )
  const because = said === '' ? '.' : `: ${said.replaceAll('\n', ' ')}`
  return new Error(`The broker does not start (${how})${because}\nIts log: ${logFile}`)
}

function bare(complaint: string): string {
  return complaint.trim().replace(/^bourse: /, '')
}
