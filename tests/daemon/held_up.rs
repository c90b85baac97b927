//! While all is held: what comes is one more behind the same need.

use crate::events::Stream;
use crate::house::House;
use crate::over_socket::get;

#[test]
fn what_comes_while_all_is_held_sends_no_list_of_what_came_before() {
    let mut house = House::plain("held up 保留");
    house.start();
    assert!(house.ask(&["stop", "--all"]).status.success());
    for file in 0..10 {
        let one = |number| format!("id: m-{file}{number:02}\nto: worker\ncontent: 仕事 🎌\n");
        house.drop(&format!("{file}.yaml"), &(0..25).map(one).collect::<Vec<_>>().join("---\n"));
    }
    house.until("all of them", |house| get(house, "/api/status")["open"] == 250);
    let mut stream = Stream::open(&house, "?view=true", None).expect("a stream");
    let first = stream.next().expect("a view");
    let need = &first.data["needs"]["needs"][0];
    let behind = need["behind"].as_array().expect("ids").len();
    assert_eq!((&need["id"], behind, &need["behind_count"]), (&"halted".into(), 100, &250.into()));
    house.drop("z.yaml", "id: z-1\nto: worker\ncontent: もう一つ\n");
    let mut sent = 0;
    loop {
        let event = stream.next().expect("an event");
        sent += event.data.to_string().len();
        assert!(event.data["needs"].is_null(), "{event:?}");
        if event.data["behind"]["halted"] == 251 {
            break;
        }
    }
    assert!(sent < 8_192, "{sent} bytes for one message");
    assert_eq!(get(&house, "/api/needs")["needs"][0]["behind_count"], 251);
    house.end();
}
