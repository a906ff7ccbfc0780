const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

export type Colour = keyof typeof CODES

export type Paint = (text: string, ...colours: readonly Colour[]) => string

const ESCAPE = '\u001b['

/** Colours the text on a colour terminal, and returns it unchanged elsewhere. */
export function createPaint(isColourful: boolean): Paint {
  return (text, ...colours) =>
    isColourful && text !== '' && colours.length > 0
      ? `${ESCAPE}${colours.map((colour) => CODES[colour]).join(';')}m${text}${ESCAPE}0m`
      : text
}

/** How many columns a text takes, colours not counted. */
export function widthOf(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters.
  return [...text.replaceAll(/\u001b\[[0-9;]*m/g, '')].length
}
