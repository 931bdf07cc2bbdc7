/** What a flow types, and the variables it is given: both may be secrets. */
import { fieldsOf, textOf } from "../json.ts"
import type { Mask } from "../mask.ts"

/** Variables that Maestro sets itself. All others may come from `--env` or from the machine's variables. */
const ownVariable = /^MAESTRO_(?:FILENAME|DEVICE_UDID|SHARD_ID|SHARD_INDEX|VERSION|(?:CLI|DRIVER|USE|DISABLE)_\w+)$/

const typing = new Set(["inputTextCommand", "setClipboardCommand"])

/** Whether a command's `text` is what it types. */
export const isTyping = (kind: string): boolean => typing.has(kind)

/** A text that only names variables says nothing of their values. */
const onlyNames = /^(?:\s*\$\{[^}]*\}\s*)+$/

const hide = (value: unknown, mask: Mask): void => {
  const text = textOf(typeof value === "number" ? String(value) : value)
  if (text !== undefined && !onlyNames.test(text)) mask.hide(text)
}

/** Hides what a command types, and every variable in it and in the commands that it is made of. */
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
        for (const [name, of] of Object.entries(fieldsOf(value))) if (!ownVariable.test(name)) hide(of, mask)
      } else if (isTyping(key)) hide(fieldsOf(value)["text"], mask)
      if (typeof value === "object" && value !== null) open.push(value)
    }
  }
}
