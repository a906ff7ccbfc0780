import { afterAll, beforeAll } from 'vitest'
import { makeTestCertificates, type TestCertificates } from './certificates.ts'

/** A federation with an authority of its own, for the tests of one file. */
export function useCertificates(): () => TestCertificates {
  let certificates: TestCertificates | undefined
  beforeAll(async () => {
    certificates = await makeTestCertificates()
  })
  afterAll(() => certificates?.dispose())
  return () => {
    if (!certificates) throw new Error('Certificates are there once the tests of a file begin.')
    return certificates
  }
}

/** The directory of the certificates of a scripted API server, for the tests of one file. */
export function useApiServerCertificates(): () => string {
  const certificates = useCertificates()
  let certPath = ''
  beforeAll(async () => {
    certPath = await certificates().forApiServer()
  })
  return () => certPath
}
