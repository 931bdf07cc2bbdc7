import { sourceParts } from "../../../core/rules/attempts.ts"
import type { Comment, Comments } from "./Comments.ts"

/** One comment that all jobs write. */
export interface Sticky {
  /** Its id within a pull request: comments with different ids stand beside each other. */
  readonly name: string
  /** The run of the CI that writes, and its attempt: `github:123/2`. Every attempt writes of all of them. */
  readonly source: string
}

/** The invisible beginning of the comment: a link that nothing refers to, because Bitbucket shows comments of HTML. */
const markerOf = (name: string): string => `[slipway-ci ${encodeURIComponent(name)} `

/** What the comment begins with, before its text. */
export const headOf = ({ name, source }: Sticky): string =>
  `${markerOf(name)}${encodeURIComponent(sourceParts(source).ciRun)}]: #slipway-ci\n\n`

const sourceIn = (body: string): string => decodeURIComponent(/^\[slipway-ci \S+ ([^\s\]]+)\]/.exec(body)?.[1] ?? "")

/** Whether a comment reports a later run of the same CI, whose runs have increasing numbers. */
const isLater = (body: string, source: string): boolean => {
  const partsOf = (text: string) => sourceParts(text).ciRun.split(":")
  const [[ci, run = ""], [otherCi, other = ""]] = [partsOf(source), partsOf(sourceIn(body))]
  return ci === otherCi && /^\d+$/.test(run) && /^\d+$/.test(other) && BigInt(other) > BigInt(run)
}

/** The comment: the oldest of those that jobs made at the same time; the others are deleted. */
const found = async (comments: Comments, name: string): Promise<Comment | undefined> => {
  const own = (await comments.list()).filter(({ body, isOwn }) => isOwn && body.startsWith(markerOf(name)))
  const [first, ...more] = own.toSorted((a, b) => a.id - b.id)
  for (const { id } of more) await comments.remove(id)
  return first
}

/**
 * Makes or updates the comment, so that in the end it reports all jobs, in any order of writing: each job reads the
 * current state after writing, and writes again until both are equal. `textOf` answers what to write, given what the
 * comment says now. Answers whether it was written: not over one of a later run.
 */
export const writeSticky = async (
  comments: Comments,
  sticky: Sticky,
  textOf: (now: string) => Promise<string>
): Promise<boolean> => {
  let written: { readonly id: number; readonly body: string } | undefined
  for (;;) {
    const comment = await found(comments, sticky.name)
    if (comment !== undefined && isLater(comment.body, sticky.source)) return false
    const body = headOf(sticky) + (await textOf(comment?.body ?? ""))
    if (comment === undefined) {
      written = { id: await comments.create(body), body }
      continue
    }
    // GitHub may give a text back otherwise than it was sent, so that what was written counts as well.
    if (comment.body === body || (comment.id === written?.id && body === written.body)) return true
    if (await comments.update(comment.id, body)) written = { id: comment.id, body }
  }
}
