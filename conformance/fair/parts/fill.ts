/**
 * A JSON body with placeholders. A text that is one `{placeholder}` becomes the value itself, and a member of an object
 * is left out when there is none; within a longer text the value is written out. An item `{ "$each": "files", … }` of
 * a list becomes one item for each of `files`, whose own values come first.
 */
export type Template =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<Template>
  | { readonly [name: string]: Template }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isList = (template: Template): template is ReadonlyArray<Template> => Array.isArray(template)

const lookUp = (values: unknown, name: string): unknown =>
  name.split(".").reduce((value, step) => (isRecord(value) ? value[step] : undefined), values)

/** The text with each placeholder written out. */
export const fillText = (text: string, values: unknown): string =>
  text.replaceAll(/\{([\w.]+)\}/g, (_, name: string) => String(lookUp(values, name)))

const fillItem = (item: Template, values: unknown): ReadonlyArray<unknown> => {
  if (!isRecord(item) || typeof item.$each !== "string") return [fill(item, values)]
  const { $each, ...rest } = item
  const each = lookUp(values, $each)
  return Array.isArray(each) ? each.map((one, index) => fill(rest, { ...Object(values), index, ...Object(one) })) : []
}

/** The body that a template makes of these values. */
export const fill = (template: Template, values: unknown): unknown => {
  if (typeof template === "string") {
    const [, name] = /^\{([\w.]+)\}$/.exec(template) ?? []
    return name === undefined ? fillText(template, values) : lookUp(values, name)
  }
  if (isList(template)) return template.flatMap((item) => fillItem(item, values))
  if (!isRecord(template)) return template
  const members = Object.entries(template).map(([name, one]) => [name, fill(one, values)] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}
