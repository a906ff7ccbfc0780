import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { makeLeaf, makeRoot } from './certificate-maker.ts'

const NOW = new Date('2026-11-15T12:00:00Z')
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const validity = { from: NOW, days: 30 }

describe('makeLeaf', () => {
  it('signs what it was asked for, valid a little earlier than now', async () => {
    const root = await makeRoot('test', 'ec', { from: NOW, days: 365 })
    const leaf = {
      commonName: 'broker',
      usages: ['server'] as const,
      dns: ['broker.example.org'],
      ip: ['192.0.2.10'],
    }

    const made = await makeLeaf(root, leaf, { keyType: 'ec', validity })

    const certificate = new X509Certificate(made.certificate)
    expect(certificate.verify(new X509Certificate(root.certificate).publicKey)).toBe(true)
    expect(certificate.subject).toBe('CN=broker')
    expect(certificate.subjectAltName).toBe('DNS:broker.example.org, IP Address:192.0.2.10')
    expect(certificate.keyUsage).toEqual([SERVER_AUTH])
    expect(certificate.ca).toBe(false)
    expect(certificate.serialNumber.toLowerCase()).toBe(made.serial)
    expect(certificate.validFromDate).toEqual(new Date('2026-11-15T11:55:00Z'))
    expect(certificate.validToDate).toEqual(new Date('2026-12-15T12:00:00Z'))
  })

  it('names every organization that it was given', async () => {
    const root = await makeRoot('test', 'ec', validity)
    const leaf = { commonName: 'ada', usages: ['client'] as const, organization: ['dev', 'ops'] }

    const made = await makeLeaf(root, leaf, { keyType: 'ec', validity })

    expect(new X509Certificate(made.certificate).subject).toBe('CN=ada\nO=dev\nO=ops')
  })

  it('never gives a serial number twice', async () => {
    const root = await makeRoot('test', 'ec', validity)
    const leaf = { commonName: 'rome', usages: ['client'] as const }

    const first = await makeLeaf(root, leaf, { keyType: 'ec', validity })
    const second = await makeLeaf(root, leaf, { keyType: 'ec', validity })

    expect(first.serial).not.toBe(second.serial)
  })
})

describe('makeRoot', () => {
  it('may sign certificates, and no authorities below itself', async () => {
    const root = new X509Certificate((await makeRoot('test', 'ec', validity)).certificate)

    expect(root.ca).toBe(true)
    expect(root.subject).toBe('CN=test')
    expect(root.verify(root.publicKey)).toBe(true)
  })
})
