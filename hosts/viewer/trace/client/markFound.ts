import { onceAFrame } from "../../ui/dom.ts"
import { wordsOf } from "../search.ts"

/** Marks the searched words in the lines that are shown, where the browser can. Answers what to call after a line is drawn. */
export const markFound = (rows: HTMLElement, find: HTMLInputElement): (() => void) => {
  if (!("highlights" in CSS)) return () => undefined
  const name = `found-${rows.id}`
  return onceAFrame(() => {
    const words = wordsOf(find.value)
    const highlight = new Highlight()
    const texts = document.createTreeWalker(rows, NodeFilter.SHOW_TEXT)
    for (let node = words.length === 0 ? null : texts.nextNode(); node !== null; node = texts.nextNode()) {
      const text = node.nodeValue?.toLowerCase() ?? ""
      // A few letters have another length in lower case.
      if (text.length !== node.nodeValue?.length) continue
      for (const word of words) {
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          const range = new Range()
          range.setStart(node, at)
          range.setEnd(node, at + word.length)
          highlight.add(range)
        }
      }
    }
    CSS.highlights.set(name, highlight)
  })
}
