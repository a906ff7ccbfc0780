import { afterAll, beforeAll } from 'vitest'
import { makeTestCertificates, type TestCertificates } from './certificates.ts'

/** The directory of what a played API server shows, for the tests of one file. */
export function useApiServerCertificates(): () => string {
  let certificates: TestCertificates | undefined
  let certPath = ''
  beforeAll(async () => {
    certificates = await makeTestCertificates()
    certPath = await certificates.forApiServer()
  })
  afterAll(() => certificates?.dispose())
  return () => certPath
}
