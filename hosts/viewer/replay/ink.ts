/** The most elements that are looked at: an app with more has certainly drawn some. */
const most = 2000

/** Elements with something of their own to see. */
const pictures = "img, svg, canvas, video, iframe, input, textarea, button, .pixels, .unknown"

const transparent = "rgba(0, 0, 0, 0)"

/** Whether anything of an element differs from the empty screen behind it, without what is in it. */
const isSeen = (element: Element, ground: string): boolean => {
  const { backgroundColor, backgroundImage, borderTopWidth, boxShadow } = getComputedStyle(element)
  const isPainted = backgroundColor !== transparent && backgroundColor !== ground
  const hasText = [...element.childNodes].some(
    (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== ""
  )
  if (!hasText && !isPainted && backgroundImage === "none" && borderTopWidth === "0px" && boxShadow === "none") {
    if (!element.matches(pictures)) return false
  }
  const { height, width } = element.getBoundingClientRect()
  return height > 0 && width > 0 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
}

/** Whether the phone's screen shows anything but its empty ground: views that are as white as that are none. */
export const hasInk = (root: Element): boolean => {
  const ground = getComputedStyle(document.documentElement).backgroundColor
  const all = [...root.querySelectorAll("*")]
  return all.length > most || all.some((element) => isSeen(element, ground))
}
