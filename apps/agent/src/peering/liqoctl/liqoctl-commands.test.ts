import { describe, expect, it } from 'vitest'
import { type CommandSettings, peerCommand, unpeerCommand } from './liqoctl-commands.ts'

const settings: CommandSettings = {
  networking: 'none',
  serviceType: 'NodePort',
  liqoNamespace: 'liqo',
}
const PARIS = '/peers/paris.kubeconfig'

describe('the commands that liqoctl is given', () => {
  it('skip networking unless it is asked for, and never make a slice', () => {
    expect(peerCommand(PARIS, settings)).toEqual([
      'peer',
      '--remote-kubeconfig=/peers/paris.kubeconfig',
      '--namespace=liqo',
      '--remote-namespace=liqo',
      '--networking-disabled',
      '--create-resource-slice=false',
    ])
  })

  it("build a tunnel to the provider's gateway, by the Service that was chosen", () => {
    const command = peerCommand(PARIS, { ...settings, networking: 'wireguard' })

    expect(command).toContain('--gw-server-service-type=NodePort')
    expect(command).not.toContain('--networking-disabled')
  })

  it('un-peer without asking for a confirmation', () => {
    expect(unpeerCommand(PARIS, { ...settings, liqoNamespace: 'mesh' })).toEqual([
      'unpeer',
      '--remote-kubeconfig=/peers/paris.kubeconfig',
      '--namespace=mesh',
      '--remote-namespace=mesh',
      '--skip-confirm',
    ])
  })
})
