import { beforeAll } from 'vitest'
import { useCertificates } from './use-certificates.ts'

/** The directory of what a played API server shows, for the tests of one file. */
export function useApiServerCertificates(): () => string {
  const certificates = useCertificates()
  let certPath = ''
  beforeAll(async () => {
    certPath = await certificates().forApiServer()
  })
  return () => certPath
}
