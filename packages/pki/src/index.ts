/**
 * Certificates: making them (the CLI's `ca` verbs, tests) and checking them (broker, agent).
 *
 * - `certificate-maker.ts` (this entry point): authorities, leaves, revocation lists.
 * - `@bourse/pki/certificate-path`: whether a chain leads to a trusted authority.
 * - `@bourse/pki/revocations`: reads `crl.pem`. `@bourse/pki/protected-key`: finds passphrases.
 *
 * Broker and agent import only the checking parts: the X.509 library takes about 20 MB.
 */
export * from './certificate-maker.ts'
