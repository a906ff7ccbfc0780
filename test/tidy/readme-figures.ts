import type { Claim } from './readme-claims.ts'

/** A paragraph, an item of a list, a row of a table, or the comments of an example. */
export type Part = Readonly<{
  text: string
  links: readonly string[]
  /** Not so for introductions, which end with a colon, and comments: only their figures count. */
  needsProof: boolean
}>

/** Headings, drawings and the examples themselves are left out; their comments are not. */
export function partsOf(markdown: string): Part[] {
  const parts: Part[] = []
  let above: readonly string[] = []
  for (const [block = ''] of markdown.matchAll(/^```[\s\S]*?^```|(?:^(?!```|\n).*\n?)+/gm)) {
    if (block.startsWith('#') || block.trim() === '') continue
    // A table, a list or an example has what the paragraph above it links to.
    const isBelow = /^(\||[-\d]|```)/.test(block)
    for (const piece of isBelow ? piecesOf(block) : [block]) {
      const text = piece.replace(/\s+/g, ' ').trim()
      const links = [...linksIn(text), ...(isBelow ? above : [])]
      const needsProof = !block.startsWith('```') && !text.endsWith(':')
      parts.push({ text, links, needsProof })
    }
    if (!isBelow) above = linksIn(block)
  }
  return parts
}

/** Rows below the head of a table; items with the lines that go on with them; all comments of an example. */
function piecesOf(block: string): string[] {
  if (block.startsWith('|')) return block.trim().split('\n').slice(2)
  if (!block.startsWith('```')) return block.split(/^(?:-|\d+\.) /m).slice(1)
  return [[...block.matchAll(/\s# (.*)$/gm)].map(([, comment = '']) => comment).join('\n')]
}

function linksIn(text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target = '']) => target)
  return targets.filter((target) => !target.startsWith('http'))
}

const UNIT = 'ms|s|MB|%|×'
const WORD = 'half|two|three|four|five|six|seven|eight|nine|ten|twelve|fifty|hundred|thousand'
const FIGURE = new RegExp(
  `(?<![\\w.]|[a-z]-)(\\d[\\d,]*(?:\\.\\d+)?)(?: ?(${UNIT})(?!\\w)|(/s)|(?![\\d.]*\\w))|\\b(${WORD})\\b`,
  'gi',
)

/** Amounts and times with their units, in digits or in words; not what is code, a link or a version. */
export function figuresIn(text: string): string[] {
  const prose = text.replace(/`[^`]*`/g, '').replace(/\]\([^)]*\)/g, ']')
  return [...prose.matchAll(FIGURE)].map(([, number, unit, rate = '', word = '']) =>
    number === undefined ? word : `${number}${unit ? ` ${unit}` : ''}${rate}`,
  )
}

/** With and without their units: `38 / 84 ms` has 38 ms, and a text may say 38. */
function figuresInTables(document: string): string[] {
  const rows = document.split('\n').filter((line) => line.startsWith('|'))
  const units = rows.join('\n').replace(/([\d.,]+) \/ ([\d.,]+) (ms|s|MB)\b/g, '$1 $3 / $2 $3')
  return figuresIn(units).flatMap((figure) => [figure, figure.replace(/[ /]\D+$/, '')])
}

export function createProof(claims: readonly Claim[], textOf: (path: string) => string) {
  const withoutClaims = (text: string) =>
    claims.reduce((left, { says }) => left.replaceAll(says, ''), text)

  return {
    /** Figures that stand neither in a table of a linked document nor in a claim. */
    unproven(parts: readonly Part[]): string[] {
      return parts.flatMap(({ text, links }) => {
        const known = new Set(links.flatMap((path) => figuresInTables(textOf(path))))
        return figuresIn(withoutClaims(text)).filter((figure) => !known.has(figure))
      })
    },
    /** What says something without a link or a claim. */
    bare(parts: readonly Part[]): string[] {
      const said = parts.filter(({ needsProof, links }) => needsProof && links.length === 0)
      return said.map(({ text }) => text).filter((text) => withoutClaims(text) === text)
    },
  }
}
