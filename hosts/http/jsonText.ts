/** Checks a JSON text against the bounds of its schema, before it is parsed. */
import { Result } from "effect"
import type { BodyBounds } from "../../core/api/bodyBounds.ts"
import type { InvalidRequest, Issue } from "../../core/model/Problem.ts"
import { listLengthIssue } from "../../core/rules/limits.ts"
import { invalidRequest, notJson } from "./problems.ts"

/** A text that may be parsed, and the issues of the lists that were too long. Those lists are empty in the text. */
export interface BoundedText {
  readonly text: string
  readonly tooLong: ReadonlyArray<Issue>
}

/** How many values a body may have, and how deep it may be nested. There is room for fields that no schema knows. */
export const roomFor = ({ depth, values }: BodyBounds) => ({ depth: depth + 64, values: 2 * values + 1000 })

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** A list or object whose end was not found yet. */
interface Open {
  readonly start: number
  readonly isList: boolean
  readonly fields: BodyBounds["fields"] | undefined
  readonly items: BodyBounds["items"]
  commas: number
  /** The name of the field at hand, if the schema has it. */
  field: string
  /** The bounds of the value at hand, if the schema has them. */
  value: BodyBounds | undefined
}

/** The index at which the string that begins at `start` ends: that of its closing quote, or the end of the text. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}

/** The index at which the list around `start` ends, or the end of the text, and how many of its commas are before that. */
const restOfList = (text: string, start: number) => {
  let depth = 0
  let commas = 0
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at)
        break
      case comma:
        if (depth === 0) commas++
        break
      case openBracket:
      case openBrace:
        depth++
        break
      case closeBracket:
      case closeBrace:
        if (depth-- === 0) return { end: at, commas }
    }
  }
  return { end: text.length, commas }
}

/** Whether there is nothing but spaces between two places of a text. */
const isBlank = (text: string, from: number, to: number): boolean => {
  let at = to - 1
  while (at > from && text.charCodeAt(at) <= 0x20) at--
  return at === from
}

/** The name of a field, from its JSON string without the quotes. */
const nameOf = (written: string): string => {
  if (!written.includes("\\")) return written
  return Result.getOrElse(
    Result.try(() => String(JSON.parse(`"${written}"`))),
    () => written
  )
}

const refuse = (message: string) => Result.fail(invalidRequest([{ path: "", message }]))

/**
 * A text that is cheap to parse, or why it is refused. The text is read once and need not be JSON. Lists that are too
 * long are counted to their end, and cut out.
 */
export const boundedText = (text: string, bounds: BodyBounds): Result.Result<BoundedText, InvalidRequest> => {
  const most = roomFor(bounds)
  const open: Array<Open> = []
  const tooLong: Array<Issue> = []
  const pieces: Array<string> = []
  let values = 1
  let inner: Open | undefined
  let cutTo = 0
  let nameStart = 0
  let nameEnd = 0

  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    switch (character) {
      case quote:
        nameStart = at + 1
        nameEnd = at = endOfString(text, at)
        break
      case colon:
        if (inner === undefined || inner.isList) break
        inner.field = nameOf(text.slice(nameStart, nameEnd))
        inner.value = inner.fields?.get(inner.field)
        break
      case comma: {
        if (inner === undefined) break
        inner.commas++
        values++
        if (inner.items === undefined || inner.commas < inner.items.most) break
        // What is in a list that is too long is not counted, because it isn't parsed.
        const rest = restOfList(text, at + 1)
        inner.commas += rest.commas
        at = rest.end - 1
        break
      }
      case openBracket:
      case openBrace: {
        const isList = character === openBracket
        const own: BodyBounds | undefined = inner === undefined ? bounds : inner.value
        const items = isList ? own?.items : undefined
        inner = { start: at, isList, fields: own?.fields, items, commas: 0, field: "", value: items?.bounds }
        if (open.push(inner) > most.depth) return refuse(`must be nested at most ${most.depth} deep`)
        break
      }
      case closeBracket:
      case closeBrace: {
        const closed = open.pop()
        if (closed?.isList !== (character === closeBracket)) return Result.fail(notJson)
        inner = open.at(-1)
        const items = isBlank(text, closed.start, at) ? 0 : closed.commas + 1
        if (items > 0) values++
        if (closed.items === undefined) break
        const path = open.map(({ commas, field, isList }) => (isList ? commas : field)).join(".")
        const issue = listLengthIssue(path, items, closed.items.most)
        if (issue === undefined) break
        tooLong.push(issue)
        pieces.push(text.slice(cutTo, closed.start), "[]")
        cutTo = at + 1
      }
    }
    if (values > most.values) return refuse(`must have at most ${most.values} values, at all depths together`)
  }
  if (open.length > 0) return Result.fail(notJson)
  return Result.succeed({ text: tooLong.length === 0 ? text : [...pieces, text.slice(cutTo)].join(""), tooLong })
}
