import type { Pack } from "../modules/Host.ts"
import { type Component, element } from "../views/Component.ts"
import { sheet } from "../views/stylesheet.ts"

/** A picture of an element, in which pictures from elsewhere are missing. */
const pictureOf = (drawn: Element, width: number, height: number): string => {
  const copy = document.createElement("div")
  copy.className = "phone"
  const style = document.createElement("style")
  style.textContent = sheet
  copy.append(style, drawn.cloneNode(true))
  const markup = new XMLSerializer().serializeToString(copy)
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
    `<foreignObject width="100%" height="100%">${markup}</foreignObject></svg>`
  return `url("data:image/svg+xml,${encodeURIComponent(svg)}")`
}

/** Children that are seen where the first of them, the mask, is opaque. */
const masked: Component = () => {
  const host = element("view")
  const mask = element("view")
  const drawn = element("view", host)
  host.style.cssText = mask.style.cssText = "inset:0"
  let size = { width: 0, height: 0 }

  const draw = (): void => {
    const first = host.firstElementChild
    if (!(first instanceof HTMLElement) || size.width === 0) return
    first.style.visibility = ""
    host.style.maskImage = pictureOf(first, size.width, size.height)
    first.style.visibility = "hidden"
  }
  const observer = new MutationObserver((changes) => {
    const first = host.firstElementChild
    if (changes.some(({ target }) => target !== first && (target === host || first?.contains(target) === true))) draw()
  })
  observer.observe(host, { subtree: true, childList: true, characterData: true, attributes: true })

  return {
    element: drawn,
    host,
    laidOut: (box) => {
      size = box
      draw()
    },
    unmounted: () => observer.disconnect()
  }
}

/** @react-native-masked-view/masked-view */
export const maskedView: Pack = { components: { RNCMaskedView: masked } }
