import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A line to a server that can be cut: everything on it ends at once, and may be begun anew. */
export async function openCuttableLine(url: string) {
  let target = new URL(url)
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.pipe(other)
      // What was cut is broken on both sides; `close` comes after it.
      one.on('error', () => one.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Listening on a port, it has such an address.
  const { port } = server.address() as AddressInfo

  return {
    url: `https://127.0.0.1:${port}`,
    /** From now on it leads elsewhere. */
    leadTo(other: string): void {
      target = new URL(other)
      cut()
    },
    /** A copy of a kubeconfig that goes this way. */
    kubeconfig(path: string): string {
      const copy = `${path}.cuttable`
      const text = readFileSync(path, 'utf8').replaceAll(url, `https://127.0.0.1:${port}`)
      writeFileSync(copy, text, { mode: 0o600 })
      return copy
    },
    cut,
    connections: () => open.size / 2,
    close(): void {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }

  /** Ends every connection. */
  function cut(): void {
    for (const socket of open) socket.resetAndDestroy()
  }
}
