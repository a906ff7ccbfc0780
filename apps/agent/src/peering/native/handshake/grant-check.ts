import { createPublicKey, X509Certificate } from 'node:crypto'
import type { AuthParams } from '../liqo/liqo-tenant.ts'

export type Flaw = Readonly<{ reason: string; message: string }>

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/

/**
 * Why a grant of a provider's Liqo must not be used, if so. Checked by the provider before sending
 * it, and by the requester before using it.
 */
export function grantProblem(params: AuthParams, publicKey: string): Flaw | undefined {
  const { apiServer = '', ca, awsConfig, proxyURL } = params
  if (awsConfig !== undefined && awsConfig !== null) return AWS
  if (proxyURL) return behindProxy(proxyURL)
  if (URL.parse(apiServer)?.protocol !== 'https:')
    return {
      reason: 'BadApiServer',
      message:
        `The provider's API server is said to be at ${JSON.stringify(apiServer)}, which is not an ` +
        'https address: set --api-server-url there.',
    }
  // Absent if the API server has a publicly trusted certificate.
  if (ca && !CERTIFICATE.test(textOf(ca)))
    return { reason: 'BadAuthority', message: "The provider's CA is not a certificate." }
  if (!isFor(params, publicKey))
    return {
      reason: 'ForeignCertificate',
      message: "The provider's Liqo has certified another key than the requester's.",
    }
  return undefined
}

const AWS: Flaw = {
  reason: 'AwsIdentity',
  message:
    "The provider's Liqo hands out AWS IAM credentials, which carry a secret key: that is never " +
    'sent through a broker. Install Liqo there with certificates, or peer with liqoctl.',
}

/** With in-band peering, all of Liqo's traffic would go through an address of the provider's choice. */
function behindProxy(proxyURL: string): Flaw {
  return {
    reason: 'InBandProxy',
    message:
      `The provider's API server is said to be behind the proxy ${proxyURL}, as with Liqo's in-band ` +
      'peering, which agents do not do: set --api-server-url there to an address that requesters ' +
      'reach, or peer by hand with `liqoctl peer --in-band`.',
  }
}

/** Whether the certificate has this key: after a new request the old one stays a while. */
export function isFor({ signedCRT }: AuthParams, publicKey: string): boolean {
  const pem = signedCRT === undefined ? '' : textOf(signedCRT)
  if (!CERTIFICATE.test(pem)) return false
  return new X509Certificate(pem).publicKey.equals(createPublicKey(publicKey))
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString()
}
