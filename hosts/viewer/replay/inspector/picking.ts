/** Points at an element of an app: marks it, and lets a person press it without the app. */
const color = "#1668b8"

/** A frame above everything, with a name at its corner. */
const makeMark = () => {
  const mark = document.createElement("div")
  const label = document.createElement("div")
  mark.style.cssText = `position:fixed;z-index:2147483647;box-sizing:border-box;pointer-events:none;border:2px solid ${color};background:${color}33`
  label.style.cssText = `position:absolute;left:-2px;max-width:${innerWidth}px;padding:2px 6px;background:${color};color:#fff;font:12px/1.4 system-ui,sans-serif;white-space:nowrap;overflow:hidden;text-overflow:ellipsis`
  mark.setAttribute("aria-hidden", "true")
  mark.append(label)
  return {
    show: (element: Element | undefined, name: string): void => {
      if (element === undefined) {
        mark.remove()
        return
      }
      const { height, left, top, width } = element.getBoundingClientRect()
      Object.assign(mark.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` })
      label.style[top > 24 ? "bottom" : "top"] = "100%"
      label.style[top > 24 ? "top" : "bottom"] = ""
      label.textContent = `${name} ${Math.round(width)} × ${Math.round(height)}`
      document.documentElement.append(mark)
    }
  }
}

/** The events that don't reach the app while a person picks. */
const withheld = ["pointerdown", "pointerup", "mousedown", "mouseup", "touchstart", "click"] as const

export const makePicker = (on: {
  readonly nameOf: (element: Element) => string
  /** An element was pressed; none if picking was ended by a key. */
  readonly picked: (element: Element | undefined) => void
}) => {
  const mark = makeMark()
  let picking: AbortController | undefined

  const elementAt = ({ clientX, clientY }: MouseEvent): Element | undefined =>
    document.elementFromPoint(clientX, clientY) ?? undefined

  const end = (): void => {
    picking?.abort()
    picking = undefined
  }

  const begin = (): void => {
    end()
    picking = new AbortController()
    const options = { capture: true, passive: false, signal: picking.signal }
    for (const name of withheld) {
      window.addEventListener(
        name,
        (event) => {
          // Without its default, a touch would be no click.
          if (event.type !== "touchstart") event.preventDefault()
          event.stopImmediatePropagation()
          if (event.type !== "click" || !(event instanceof MouseEvent)) return
          end()
          on.picked(elementAt(event))
        },
        options
      )
    }
    window.addEventListener(
      "pointermove",
      (event) => {
        event.stopImmediatePropagation()
        const element = elementAt(event)
        mark.show(element, element === undefined ? "" : on.nameOf(element))
      },
      options
    )
    window.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "Escape") return
        event.stopImmediatePropagation()
        end()
        mark.show(undefined, "")
        on.picked(undefined)
      },
      options
    )
  }

  return { mark: mark.show, begin, end }
}
