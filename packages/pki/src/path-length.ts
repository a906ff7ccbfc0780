// @peculiar/x509 registers its algorithms by decorators and needs this first.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'

/** How many authorities may be below this one; Node does not expose it. */
export function pathLengthOf(certificate: Buffer): number {
  const { pathLength } =
    new x509.X509Certificate(certificate).getExtension(x509.BasicConstraintsExtension) ?? {}
  return pathLength ?? Number.POSITIVE_INFINITY
}
