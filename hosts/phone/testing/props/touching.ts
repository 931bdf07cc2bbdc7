/** What is pressed, switched and dragged. */
import {
  both,
  clickAt,
  drag,
  draws,
  has,
  hold,
  lime,
  measures,
  moveTo,
  neverReports,
  of,
  otherwise,
  reads,
  red,
  shown,
  tap,
  tapped,
  reports,
  type Table
} from "./claims.ts"

const press: Table = {
  onHoverIn: otherwise("a phone has no mouse: nothing is hovered over"),
  onHoverOut: otherwise("a phone has no mouse: nothing is hovered over"),
  onPress: of("events", tapped("onPress")),
  onPressIn: reports("onPressIn"),
  onPressOut: reports("onPressOut"),
  onPressMove: of("events", hold(moveTo(20, 20), moveTo(60, 10)), reports("onPressMove")),
  onLongPress: of("events", hold(reports("onLongPress"))),
  delayLongPress: reports("onLongPress"),
  onFocus: otherwise("only fields receive the keyboard's focus"),
  onBlur: otherwise("only fields receive the keyboard's focus"),
  children: both(of("state", reads("not pressed")), tap, of("state", reads("pressed"))),
  disabled: both(clickAt(9, 9), of("events", tap), neverReports("disabled")),
  hitSlop: both(clickAt(50, 45), reports("hitSlop")),
  pressRetentionOffset: both(hold(moveTo(40, 75)), reports("pressRetentionOffset")),
  style: both(hold(draws({ opacity: "0.5" })), draws({ opacity: "1" })),
  testOnly_pressed: measures(77, 30),
  unstable_pressDelay: tapped("delayed"),
  cancelable: tapped("cancelable"),
  testID: of("events", shown),
  "TouchableOpacity: activeOpacity": both(hold(draws({ opacity: "0.3" })), draws({ opacity: "1" }), reports("opacity")),
  "TouchableOpacity: disabled": both(clickAt(9, 9), of("events", tap), neverReports("opacity off")),
  "TouchableHighlight: underlayColor": both(hold(draws({ backgroundColor: red })), reports("highlight")),
  "TouchableHighlight: activeOpacity": of(
    "TouchableHighlight: underlayColor",
    hold(of("highlighted", draws({ opacity: "0.5" })))
  ),
  "TouchableHighlight: onShowUnderlay": reports("onShowUnderlay"),
  "TouchableHighlight: onHideUnderlay": reports("onHideUnderlay"),
  "TouchableHighlight: testOnly_pressed": draws({ backgroundColor: lime }),
  "TouchableWithoutFeedback: onPress": of(
    "TouchableWithoutFeedback",
    tapped("bare onPressIn", "bare onPressOut", "bare onPress")
  ),
  "TouchableWithoutFeedback: delayPressIn": reports("bare onPressIn"),
  "TouchableWithoutFeedback: delayPressOut": reports("bare onPressOut"),
  "TouchableWithoutFeedback: onLongPress": of("TouchableWithoutFeedback", hold(reports("bare onLongPress"))),
  "TouchableWithoutFeedback: delayLongPress": reports("bare onLongPress"),
  "TouchableWithoutFeedback: onLayout": reports("bare onLayout 150"),
  "TouchableWithoutFeedback: hitSlop": of("TouchableWithoutFeedback", clickAt(50, 45), reports("bare onPress")),
  "TouchableWithoutFeedback: disabled": both(clickAt(9, 9), of("events", tap), neverReports("bare off")),
  "TouchableWithoutFeedback: accessibilityLabel": of(
    "TouchableWithoutFeedback: disabled",
    has({ "aria-label": "Bare" })
  ),
  "Button: title": both(reads("Press me"), tapped("button"), has({ role: "button" })),
  "Button: color": draws({ color: red }, ".text"),
  "Button: disabled": both(
    has({ "aria-disabled": "true" }),
    clickAt(20, 9),
    of("events", tap),
    neverReports("button off")
  ),
  "Button: accessibilityLabel": has({ "aria-label": "A labelled button" })
}

const track = ":scope > :first-child"

const knob = ".knob"

const controls: Table = {
  "Switch: value": both(has({ "aria-checked": "false" }), tap, has({ "aria-checked": "true" })),
  "Switch: onValueChange": reports("onValueChange true"),
  "Switch: onChange": reports("onChange true"),
  "Switch: disabled": both(
    has({ "aria-disabled": "true" }),
    clickAt(20, 15),
    has({ "aria-checked": "false" }),
    neverReports("Switch: disabled")
  ),
  "Switch: thumbColor": draws({ backgroundColor: red }, knob),
  "Switch: trackColor": draws({ backgroundColor: red }, track),
  "Switch: trackColor off": draws({ backgroundColor: "rgba(120, 120, 128, 0.16)" }, track),
  "Switch: ios_backgroundColor": draws({ backgroundColor: "rgb(0, 0, 255)" }),
  "ActivityIndicator: animating": draws({ visibility: "hidden" }),
  "ActivityIndicator: hidesWhenStopped": draws({ visibility: "visible" }),
  "ActivityIndicator: color": draws({ backgroundImage: /rgb\(255, 0, 0\)/ }, ".wheel"),
  "ActivityIndicator: size": measures(undefined, 36),
  "ActivityIndicator: size in points": measures(undefined, 44),
  "StatusBar: animated": otherwise("there is no status bar"),
  "StatusBar: barStyle": otherwise("there is no status bar"),
  "StatusBar: hidden": otherwise("there is no status bar"),
  "StatusBar: networkActivityIndicatorVisible": otherwise("there is no status bar"),
  "StatusBar: showHideTransition": otherwise("there is no status bar"),
  "StatusBar: setBarStyle": tapped("StatusBar: setBarStyle"),
  "StatusBar: setHidden": tapped("StatusBar: setHidden"),
  "StatusBar: setNetworkActivityIndicatorVisible": tapped("StatusBar: setNetworkActivityIndicatorVisible"),
  "StatusBar: pushStackEntry": tapped("StatusBar: pushStackEntry"),
  "StatusBar: popStackEntry": reports("StatusBar: pushStackEntry"),
  "StatusBar: replaceStackEntry": reports("StatusBar: pushStackEntry"),
  "StatusBar: currentHeight": tapped("currentHeight null")
}

const pan: Table = {
  onStartShouldSetPanResponder: of("whole", drag(40, 20), reports("onStartShouldSetPanResponder")),
  onStartShouldSetPanResponderCapture: reports("onStartShouldSetPanResponderCapture"),
  onPanResponderStart: reports("onPanResponderStart"),
  onPanResponderGrant: reports("onPanResponderGrant"),
  onPanResponderMove: reports("onPanResponderMove dx 40 dy 20 from true v true touches 1 number"),
  onPanResponderEnd: reports("onPanResponderEnd"),
  onPanResponderRelease: reports("onPanResponderRelease 40 20"),
  onMoveShouldSetPanResponder: of("mover", drag(30, 10), reports("onMoveShouldSetPanResponder", "granted on a move")),
  onMoveShouldSetPanResponderCapture: reports("onMoveShouldSetPanResponderCapture"),
  onShouldBlockNativeResponder: of("robbed", drag(30, 10), reports("onShouldBlockNativeResponder")),
  onPanResponderTerminationRequest: reports("onPanResponderTerminationRequest"),
  onPanResponderTerminate: reports("onPanResponderTerminate"),
  onPanResponderReject: of("stubborn", drag(30, 10), reports("onPanResponderReject"))
}

export const touching: Readonly<Record<string, Table>> = { press, controls, pan }
