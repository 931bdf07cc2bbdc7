import { clockText } from "../clockText.ts"
import type { Clock } from "./clock.ts"
import { copy } from "./copy.ts"
import { part, parts, setText } from "../../ui/dom.ts"
import { hashOf } from "../moment.ts"
import { shapes } from "../transportShapes.ts"

/** The actions of the buttons beside the scrubber, and the texts for screen readers. */
export interface TransportActions {
  readonly next: () => void
  readonly before: () => void
  readonly showKeys: () => void
  readonly say: (text: string) => void
  /** The current step, in words. */
  readonly moment: () => string
}

/** Shows the scrubber and the buttons of a page, and lets them move its clock. */
export const makeTransport = (root: HTMLElement, clock: Clock, actions: TransportActions): void => {
  const scrubber = part(root, ".scrubber", HTMLInputElement)
  const play = part(root, ".play", HTMLButtonElement)
  const sign = part(play, "path", SVGPathElement)
  const time = part(root, ".time", HTMLElement)
  const rate = part(root, ".rate", HTMLSelectElement)
  const copyButton = part(root, ".copy-link", HTMLButtonElement)
  for (const hidden of parts(root, "[hidden]", HTMLElement)) hidden.hidden = false

  // On a phone it is small until it is used.
  for (const use of ["pointerdown", "focusin"]) root.addEventListener(use, () => root.classList.add("is-used"))
  play.addEventListener("click", () => (clock.state().isPlaying ? clock.pause() : clock.play()))
  part(root, ".after", HTMLButtonElement).addEventListener("click", actions.next)
  part(root, ".before", HTMLButtonElement).addEventListener("click", actions.before)
  part(root, ".keys", HTMLButtonElement).addEventListener("click", actions.showKeys)
  scrubber.addEventListener("input", () => clock.seek(scrubber.valueAsNumber))
  rate.addEventListener("change", () => clock.setRate(Number(rate.value)))

  copyButton.addEventListener("click", () => {
    const address = new URL(hashOf(clock.state().t), location.href)
    void copy(address.href).then((isCopied) => {
      if (!isCopied) location.replace(address.hash)
      const said = isCopied ? "Copied" : "In the address bar"
      copyButton.textContent = said
      actions.say(isCopied ? "The link to this moment is copied" : "The link to this moment is in the address bar")
      setTimeout(() => {
        copyButton.textContent = "Copy link"
      }, 2000)
    })
  })

  clock.onMove(({ isPlaying, length, t }) => {
    scrubber.max = String(Math.ceil(length))
    scrubber.value = String(t)
    scrubber.setAttribute("aria-valuetext", `${clockText(t)} of ${clockText(length)}${actions.moment()}`)
    setText(time, `${clockText(t)} / ${clockText(length)}`)
    sign.setAttribute("d", isPlaying ? shapes.pause : shapes.play)
    play.ariaLabel = play.title = isPlaying ? "Pause" : "Play"
  })
}
