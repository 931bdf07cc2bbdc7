/** The text that Detox types, from its descriptions of actions and the source code in its messages. */
import { hidden, type Mask } from "../mask.ts"
import { itemsOf, textOf, type Fields } from "../json.ts"

const described = /\b((?:type|replace) input text: ")(.*)(")(?= on | in content editable|$)/s

/** Source code may be part of a message: Jest shows the lines around a failure. */
const inCode = /\b(\w*(?:typeText|replaceText|TextInput|setClipboard|setPassword|fill)\(\s*)(["'`])(.*?)\2/gi

/** A text without what it says was typed. */
export const withoutTyped = (text: string): string =>
  text.replace(described, `$1${hidden}$3`).replaceAll(inCode, `$1$2${hidden}$2`)

/** Hides what a step types from now on. */
export const hideTyped = (name: string, { args }: Fields, mask: Mask): void => {
  const typed = described.exec(name)?.[2]
  if (typed !== undefined) mask.hide(typed)
  // Older Detox has the arguments beside the name.
  if (/\b(?:typeText|replaceText)\b/.test(name)) for (const one of itemsOf(args)) mask.hide(textOf(one) ?? "")
}

/** Hides what the source code in a message types. */
export const hideTypedIn = (message: string, mask: Mask): void => {
  for (const [, , , typed = ""] of message.matchAll(inCode)) mask.hide(typed)
}
