import { type FlowCommand, fieldsIn } from "./FlowCommand.ts"

/** What YAML reads as text without quotation marks, also in flow style, and as nothing but text. */
const plain = /^[A-Za-z][\w ./-]*$/
const notText = /^(?:true|false|yes|no|on|off|null|y|n)$/i

/** Every string of JSON is one of YAML, but for these characters. */
const scalar = (value: unknown): string =>
  typeof value === "string" && plain.test(value) && !notText.test(value) && !value.endsWith(" ")
    ? value
    : (JSON.stringify(value) ?? "null").replaceAll(
        /[\u0085\u2028\u2029\ufeff\u007f-\u009f]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
      )

const isNested = (value: unknown): boolean => typeof value === "object" && value !== null

const lines = (value: unknown, indent: string): string => {
  if (Array.isArray(value)) {
    if (value.length === 0) return " []"
    return value
      .map(
        (item: unknown) =>
          `\n${indent}-${isNested(item) ? lines(item, `${indent}  `).replace(/^\n\s*/, " ") : ` ${scalar(item)}`}`
      )
      .join("")
  }
  if (!isNested(value)) return ` ${scalar(value)}`
  const entries = Object.entries(fieldsIn(value)).filter(([, one]) => one !== undefined)
  if (entries.length === 0) return " {}"
  return entries.map(([name, one]) => `\n${indent}${scalar(name)}:${lines(one, `${indent}  `)}`).join("")
}

/** Prints one command as an item of a list in YAML. */
export const printCommand = ({ name, value }: FlowCommand): string =>
  value === undefined ? `- ${scalar(name)}\n` : `- ${scalar(name)}:${lines(value, "    ")}\n`

/** Prints a flow as Maestro reads it. Maestro needs the id of an app: it is a variable where that is unknown. */
export const printFlow = (commands: ReadonlyArray<FlowCommand>, appId = "${APP_ID}"): string =>
  `appId: ${scalar(appId)}\n---\n${commands.map(printCommand).join("")}`
