import { eachMember } from "../../dialect/search.ts"
import type { Answer } from "../../session/Exchange.ts"

/** A declared value that can't be in an answer by chance. */
export type Mark = string | number

/** Whether a number is in a text on its own, as in `390x844`, and not as a part of a longer number, a hash or a URL. */
const hasNumber = (text: string, number: number): boolean =>
  !/^https?:\/\//i.test(text) && new RegExp(`(?<![0-9a-f.])${number}(?![0-9a-f])`, "i").test(text)

const says = (said: unknown, mark: Mark): boolean => {
  if (typeof said !== "string") return said === mark
  return typeof mark === "number" ? hasNumber(said, mark) : said.toLowerCase().includes(mark.toLowerCase())
}

/** Whether an answer has one of these as a value or as a name of a member, at any depth. */
export const mentions = ({ json }: Pick<Answer, "json">, marks: ReadonlyArray<Mark>): boolean =>
  [...eachMember(json)].some(({ name, value }) => marks.some((mark) => says(value, mark) || says(name, mark)))
