"""The check of sizes sees what it is for."""

import ast

from budgets import cpp_parts, python_classes, python_functions, script_functions, unneeded

CPP = """
namespace vincolo {
struct Place {
    int number;
    double x() const { return "{"[0]; }  // {
};
class Room : public Place {
  public:
    explicit Room(int n) : n_(n) {}
    Room(const Room&) = delete;
    int size() const { return n_; }
    int size(int more) const;
    template <class T>
    void take(const T& given) {
        for (int k = 0; k < 3; ++k) n_ += given;
    }
    double operator()(int k) const;

  private:
    void hide();
    int n_;
};

void Room::hide() {
    if (n_) {
        n_ = 0;
    }
}

}  // namespace vincolo
"""


def test_functions_of_c_plus_plus_are_found_with_their_lines():
    functions, _ = cpp_parts(CPP)
    assert [f for f in functions if f[0] == "Room::hide"] == [("Room::hide", 24, 5)]
    assert {name: size for name, _, size in functions} == {"x": 1, "Room": 1, "size": 1, "take": 4, "Room::hide": 5}


def test_methods_of_c_plus_plus_are_those_that_are_public():
    assert cpp_parts(CPP)[1] == {"Place": {"x"}, "Room": {"size", "take"}}


def test_methods_of_python_are_inherited():
    trees = {"a": ast.parse("class A:\n    def one(self): pass\n    def _two(self): pass"),
             "b": ast.parse("from a import A as First\nclass B(First):\n    def three(self): pass")}
    assert python_classes(trees) == {"a.A": {"one"}, "b.B": {"one", "three"}}


def test_an_exception_that_is_no_longer_needed_is_told():
    assert unneeded({"Room": {str(k) for k in range(26)}}, excepted=("Room",)) == []
    (found,) = unneeded({"Room": {"size"}}, excepted=("Room",))
    assert found == "class Room is excepted, but has no more than 25 public methods: take it out of EXCEPTED."


def test_lines_of_python_are_counted():
    assert list(python_functions(ast.parse("def f():\n    x = 1\n    return x\n"))) == [("f", 1, 3)]


SCRIPT = """class Room {
  get size() { return 1; }

  async take(given) {
    for (const one of given) {
      this.put(one);
    }
  }
}

function far(a, b) {
  return a - b;
}
"""


def test_functions_of_javascript_are_found_with_their_lines():
    assert list(script_functions(SCRIPT)) == [("take", 4, 5), ("far", 11, 3)]
