/** What a flow types, and the secret ones of the variables that it is given. */
import { fieldsOf, textOf } from "../json.ts"
import type { Mask } from "../mask.ts"

const typing = new Set(["inputTextCommand", "setClipboardCommand"])

/** Whether a command's `text` is what it types. */
export const isTyping = (kind: string): boolean => typing.has(kind)

/** A text that only names variables says nothing of their values. */
const onlyNames = /^(?:\s*\$\{[^}]*\}\s*)+$/

/** Whether a text consists of variables. */
export const hasOnlyVariables = (value: unknown): boolean => onlyNames.test(textOf(value) ?? "")

const valueOf = (value: unknown): string | undefined => {
  const text = textOf(typeof value === "number" ? String(value) : value)
  return text === undefined || onlyNames.test(text) ? undefined : text
}

const hide = (value: unknown, mask: Mask): void => {
  const text = valueOf(value)
  if (text !== undefined) mask.hide(text)
}

/** Hides what a command types, and every secret variable in it and in the commands that it is made of. */
export const hideTyped = (kind: string, command: unknown, mask: Mask): void => {
  if (isTyping(kind)) hide(fieldsOf(command)["text"], mask)
  const open: Array<unknown> = [command]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      open.push(...next.filter((item) => item !== undefined && item !== null))
      continue
    }
    for (const [key, value] of Object.entries(fieldsOf(next))) {
      if (key === "env") {
        for (const [name, of] of Object.entries(fieldsOf(value))) {
          const text = valueOf(of)
          if (text !== undefined) mask.hideVariable(name, text)
        }
      } else if (isTyping(key)) hide(fieldsOf(value)["text"], mask)
      if (typeof value === "object" && value !== null) open.push(value)
    }
  }
}
