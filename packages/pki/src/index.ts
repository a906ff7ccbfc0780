export {
  type KeyPairPem,
  type KeyType,
  type Leaf,
  makeLeaf,
  makeRevocationList,
  makeRoot,
  type Revoked,
  type Validity,
} from './certificate-maker.ts'
