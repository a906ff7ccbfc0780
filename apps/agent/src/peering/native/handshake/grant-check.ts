import { createPublicKey, X509Certificate } from 'node:crypto'
import type { AuthParams } from '../liqo/liqo-tenant.ts'

export type Flaw = Readonly<{ reason: string; message: string }>

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/

/**
 * Why what a provider's Liqo hands out must not be used; undefined: it may. Asked by the provider
 * before it is sent, and by the requester before it is believed.
 */
export function grantProblem(params: AuthParams, publicKey: string): Flaw | undefined {
  const { apiServer = '', ca, awsConfig, proxyURL } = params
  if (awsConfig !== undefined && awsConfig !== null) return AWS
  if (proxyURL) return behindProxy(proxyURL)
  if (URL.parse(apiServer)?.protocol !== 'https:')
    return {
      reason: 'BadApiServer',
      message:
        `The provider's API server is said to be at ${JSON.stringify(apiServer)}, which is no ` +
        'https address: set --api-server-url there.',
    }
  // Absent where the API server's certificate is one that everybody trusts.
  if (ca && !CERTIFICATE.test(textOf(ca)))
    return { reason: 'BadAuthority', message: "The provider's CA is no certificate." }
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

/** With Liqo's in-band peering all that it does there would go through an address of their choice. */
function behindProxy(proxyURL: string): Flaw {
  return {
    reason: 'InBandProxy',
    message:
      `The provider's API server is said to be behind the proxy ${proxyURL}, as with Liqo's in-band ` +
      'peering, which agents do not do: set --api-server-url there to an address that requesters ' +
      'reach, or peer by hand with `liqoctl peer --in-band`.',
  }
}

/** Whether the certificate is of this very key: after a new request the old one stays a while. */
export function isFor({ signedCRT }: AuthParams, publicKey: string): boolean {
  const pem = signedCRT === undefined ? '' : textOf(signedCRT)
  if (!CERTIFICATE.test(pem)) return false
  return new X509Certificate(pem).publicKey.equals(createPublicKey(publicKey))
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString()
}
