import type { Pack } from "../modules/Host.ts"
import { type Fields, fieldsIn, numberIn } from "../runtime/decode.ts"
import { type Component, element } from "../views/Component.ts"
import { scrollView } from "../views/scrollView.ts"

const states: Readonly<Record<string, string>> = {
  topScrollBeginDrag: "dragging",
  topScrollEndDrag: "settling",
  topMomentumScrollEnd: "idle"
}

/** Pages of its own size in a row, of which one is seen: a list that stops at each. */
const pager: Component = (own) => {
  const pages = element("view content")
  const isAcross = (): boolean => own.props()["orientation"] !== "vertical"
  const asList = (props: Fields): Fields => ({
    horizontal: isAcross(),
    pagingEnabled: true,
    scrollEnabled: props["scrollEnabled"]
  })
  let size = { width: 0, height: 0 }
  let count = 0
  let page: number | undefined

  const select = (next: number): void => {
    if (next === page) return
    page = next
    own.emit("topPageSelected", { position: next })
  }

  const list = scrollView({
    ...own,
    props: () => asList(own.props()),
    emit: (name, payload) => {
      const { contentOffset, layoutMeasurement } = payload
      const [axis, length] = isAcross() ? ["x", "width"] : ["y", "height"]
      const at = (numberIn(fieldsIn(contentOffset)[axis]) ?? 0) / (numberIn(fieldsIn(layoutMeasurement)[length]) || 1)
      if (name === "topScroll") own.emit("topPageScroll", { position: Math.floor(at), offset: at - Math.floor(at) })
      const state = states[name]
      if (state !== undefined) own.emit("topPageScrollStateChanged", { pageScrollState: state })
      if (name === "topMomentumScrollEnd") select(Math.round(at))
    }
  })
  list.element.append(pages)

  const scrollTo = (to: number, isSmooth: boolean): void =>
    list.commands?.["scrollTo"]?.(isAcross() ? to * size.width : 0, isAcross() ? 0 : to * size.height, isSmooth)

  const arrange = (): void => {
    pages.style.width = `${size.width * (isAcross() ? count : 1)}px`
    pages.style.height = `${size.height * (isAcross() ? 1 : count)}px`
    for (const [at, child] of [...pages.children].entries()) {
      if (child instanceof HTMLElement)
        child.style.translate = isAcross() ? `${at * size.width}px` : `0 ${at * size.height}px`
    }
    list.laidOut?.({ x: 0, y: 0, ...size })
  }

  return {
    ...list,
    host: pages,
    update: (props, before) => list.update?.(asList(props), asList(before)),
    childrenChanged: (children) => {
      count = children.length
      // They are in the document after the commit.
      queueMicrotask(arrange)
    },
    laidOut: ({ height, width }) => {
      const isResized = width !== size.width || height !== size.height
      size = { width, height }
      arrange()
      if (!isResized || count === 0) return
      scrollTo(page ?? numberIn(own.props()["initialPage"]) ?? 0, false)
      select(page ?? numberIn(own.props()["initialPage"]) ?? 0)
    },
    commands: {
      setPage: (to) => scrollTo(Number(to) || 0, true),
      setPageWithoutAnimation: (to) => {
        scrollTo(Number(to) || 0, false)
        select(Number(to) || 0)
      },
      setScrollEnabledImperatively: (isEnabled) =>
        list.update?.({ ...asList(own.props()), scrollEnabled: isEnabled }, {})
    }
  }
}

/** react-native-pager-view, and by it react-native-tab-view */
export const pagerView: Pack = { components: { RNCViewPager: pager, LEGACY_RNCViewPager: pager } }
