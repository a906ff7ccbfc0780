/** What is left of clusters' budgets, beside a journal that a snapshot has made shorter. */
export type BudgetNote = Readonly<{
  ledgerId: string
  /** The last batch that is counted in these figures. */
  index: number
  at: number
  spent: readonly (readonly [clusterId: string, bytes: number])[]
}>

export const budgetNoteText = (note: BudgetNote): string => `${JSON.stringify(note)}\n`

/** Undefined for one that is damaged: a broker that does not start would be worse. */
export async function readBudgetNote(text: string | undefined): Promise<BudgetNote | undefined> {
  if (text === undefined) return undefined
  const noted: unknown = await Promise.resolve(text)
    .then(JSON.parse)
    .catch(() => undefined)
  // Written by `budgetNoteText` above.
  return noted as BudgetNote | undefined
}
