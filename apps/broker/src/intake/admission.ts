/** The allow and deny lists as of now; without `allow` every cluster is allowed. */
export type Admission = Readonly<{ allow?: ReadonlySet<string>; deny: ReadonlySet<string> }>

/** Undefined: this cluster may speak. */
export function whyDenied(clusterId: string, { allow, deny }: Admission): string | undefined {
  if (deny.has(clusterId)) return `${clusterId} is on the deny list.`
  return allow && !allow.has(clusterId) ? `${clusterId} is not on the allow list.` : undefined
}
