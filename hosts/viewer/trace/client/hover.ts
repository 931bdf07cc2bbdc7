import { clockText } from "../clockText.ts"
import type { Clock } from "./clock.ts"
import { make, part } from "../../ui/dom.ts"

/** Shows the screenshot and the time of the moment below the mouse, above the track. */
export const showOnHover = (root: HTMLElement, clock: Clock, pictureAt: (t: number) => string | undefined): void => {
  const track = part(root, ".track", HTMLElement)
  const box = make("div", "hover")
  const [picture, time] = [make("img"), make("span", "type")]
  picture.alt = ""
  box.ariaHidden = "true"
  box.hidden = true
  box.append(picture, time)
  track.append(box)
  track.addEventListener("pointermove", ({ clientX, pointerType }) => {
    if (pointerType !== "mouse") return
    const { left, width } = track.getBoundingClientRect()
    const share = Math.min(Math.max((clientX - left) / width, 0), 1)
    const t = share * clock.state().length
    const url = pictureAt(t)
    picture.hidden = url === undefined
    if (url !== undefined && picture.src !== url) picture.src = url
    time.textContent = clockText(t)
    box.style.left = `${share * 100}%`
    box.hidden = false
  })
  track.addEventListener("pointerleave", () => {
    box.hidden = true
  })
}
