import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10

/** Processor time that a process, with all its threads, has used so far. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in brackets may hold spaces; what follows it starts with field 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** The same of its main thread alone, exactly: what kept its event loop busy, on any machine. */
export const mainThreadMsOf = (pid: number): number => scheduledOf(pid).ranMs

/** How long its main thread had work and no processor: others of the machine had them all. */
export const heldUpMsOf = (pid: number): number => scheduledOf(pid).heldUpMs

function scheduledOf(pid: number) {
  const schedstat = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')
  const [ranNs = 0, heldUpNs = 0] = schedstat.split(' ').map(Number)
  return { ranMs: ranNs / 1e6, heldUpMs: heldUpNs / 1e6 }
}

export const rssMbOf = (pid: number): number => memoryMb(pid, 'VmRSS')

/** The most it ever had. */
export const peakRssMbOf = (pid: number): number => memoryMb(pid, 'VmHWM')

function memoryMb(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? []
  return (Number(kib) * 1_024) / 1e6
}

/** Files, sockets and pipes that it has open. */
export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length
